import { resolve } from 'node:path';
import type {
  Assignment,
  Command,
  CommandNode,
  CompoundList,
  ParsedScript,
  Pipeline,
  Redirection,
  Statement,
  SyntaxNode,
  Word,
} from 'unbash';
import { noteArithmetic, noteAssignmentIndex, noteComparison, noteExpansion } from './arithmetic.ts';
import { addProblem, createFindings, finishFindings } from './findings.ts';
import type { Grammar } from './read-script.ts';
import { noteFile, noteRedirections } from './redirections.ts';
import { type CommandPart, type Scope, type ScriptAnalysis, type ShellWord, subshell } from './types.ts';
import { readPart, type ScriptReader } from './unwrap.ts';
import { isHarmlessVariable, isRiskyVariable } from './variables.ts';
import { readAssignment, readWord } from './words.ts';

const MAX_DEPTH = 16;
const MAX_FOLDERS = 16;

/** What a plain sh reads otherwise than bash, so that a text could mean something else to it than it seems. */
const ONLY_BASH = new Set<SyntaxNode['type']>([
  'AnsiCQuoted',
  'LocaleString',
  'ProcessSubstitution',
  'ArrayValue',
  'TestCommand',
  'ArithmeticCommand',
  'ArithmeticFor',
  'HereString',
  'Coproc',
  'Select',
]);

/** Shell commands that give variables values which are not seen here. */
const ASSIGNS = new Set(['read', 'mapfile', 'readarray', 'getopts', 'printf', 'let']);

export interface ScriptReading {
  script(text: string, scope: Scope): CommandPart[];
  finish(parts: readonly CommandPart[]): ScriptAnalysis;
}

export function createScriptReading(grammar: Grammar, home: string): ScriptReading {
  const findings = createFindings();
  const problem = (message: string): void => addProblem(findings, message);
  const reader: ScriptReader = {
    script,
    problem,
    writes: (target, scope) => noteFile(target, 'writes', scope, home, findings),
  };

  function script(text: string, scope: Scope): CommandPart[] {
    return parsed(grammar.parse(text), { ...scope, depth: scope.depth + 1 });
  }

  function parsed(tree: ParsedScript, scope: Scope): CommandPart[] {
    const [error] = tree.errors ?? [];
    if (error) problem(`it cannot be parsed: ${error.message}`);
    if (scope.depth > MAX_DEPTH) {
      problem('it is nested too deeply');
      return [];
    }
    return tree.commands.flatMap((statement) => readStatement(statement, scope));
  }

  function noteNode(node: SyntaxNode, scope: Scope): void {
    if (scope.dialect === 'posix' && ONLY_BASH.has(node.type))
      problem(`a plain sh reads ${node.type} otherwise than bash`);
    if (node.type === 'ExtendedGlob') problem(`what ${node.text} means depends on how the shell is set`);
    else if (node.type === 'ParameterExpansion') noteExpansion(node, findings);
    else if (node.type === 'Assignment') noteAssignmentIndex(node.index, findings);
    else if (node.type === 'ArithmeticWord') noteArithmetic(node.value, findings);
    else if (node.type === 'ArithmeticCommandExpansion')
      problem(`the output of ${node.text} is evaluated as arithmetic`);
    else if (node.type === 'TestUnary' && node.operator === '-v')
      noteArithmetic(node.operand.value, findings);
    else if (node.type === 'TestBinary') noteComparison(node, findings);
  }

  /** Everything below a node that holds no commands of its own: substitutions are read, evaluated texts noted. */
  function scan(node: SyntaxNode, scope: Scope): CommandPart[] {
    if (node.type === 'Script') return parsed(node, subshell(scope, { depth: scope.depth + 1 }));
    noteNode(node, scope);
    const parts: CommandPart[] = [];
    grammar.forEachChild(node, (child) => {
      parts.push(...scan(child, scope));
    });
    return parts;
  }

  function noteValue(name: string, value: Word | undefined): void {
    const isNumber =
      value !== undefined &&
      (/^-?\d+$/.test(value.value) ||
        /^\{\d+\.\.\d+\}$/.test(value.text) ||
        (value.parts?.length === 1 && value.parts[0]?.type === 'ArithmeticExpansion'));
    if (!isNumber) findings.texts.add(name);
  }

  function noteAssignment(assignment: Assignment): void {
    const { value } = assignment;
    if (value.type === 'ArrayValue')
      for (const element of value.elements) noteValue(assignment.name, element);
    else noteValue(assignment.name, value);
  }

  function changeFolder(words: readonly ShellWord[], scope: Scope): void {
    const names = words.map((word) => word.value);
    while (names[0] === 'command' || names[0] === 'builtin') names.shift();
    const [name] = names;
    if (name !== 'cd' && name !== 'pushd' && name !== 'popd') return;
    if (scope.repeated) findings.movesRepeatedly = true;
    const operands = words.slice(-(names.length - 1 || 1)).filter((word) => !word.value?.startsWith('-'));
    const target = operands.length === 1 ? operands[0] : undefined;
    const folders = scope.place.folders;
    scope.place.folders = undefined;
    if (name !== 'cd' || !folders || names.includes('-') || names.length === 1) return;
    if (target?.value === undefined || target.text.startsWith('~')) return;
    const next = new Set(folders);
    for (const folder of folders) next.add(resolve(folder, target.value));
    if (next.size <= MAX_FOLDERS) scope.place.folders = next;
  }

  function readCommand(command: Command, scope: Scope): CommandPart[] {
    const parts = [...command.prefix, ...command.suffix].flatMap((node) => scan(node, scope));
    if (command.name) parts.push(...scan(command.name, scope));
    const stdin = noteRedirections(command.redirects, scope, home, findings) ?? scope.stdin;
    const before = command.prefix.filter((node) => node.type === 'Assignment');
    for (const node of [...before, ...command.args]) if (node.type === 'Assignment') noteAssignment(node);
    if (!command.name) {
      const risky = before.filter(({ name }) => isRiskyVariable(name)).map(readAssignment);
      if (risky.length > 0) parts.push({ words: risky, assignments: risky.length, reach: risky.length });
      return parts;
    }
    const kept = before.filter(({ name }) => !isHarmlessVariable(name)).map(readAssignment);
    const args = command.args.map((node) =>
      node.type === 'Assignment' ? readAssignment(node) : readWord(node),
    );
    const name = readWord(command.name);
    if (ASSIGNS.has(name.value ?? '')) {
      for (const { value } of args)
        for (const text of value?.match(/[A-Za-z_]\w*/g) ?? []) findings.texts.add(text);
    }
    if (name.value === 'exec' && args.length === 0) {
      if (stdin !== scope.stdin) problem('exec changes what later commands read');
      return parts;
    }
    parts.push(readPart([...kept, name, ...args], kept.length, { ...scope, stdin }, reader));
    changeFolder([name, ...args], scope);
    return parts;
  }

  function list(node: CompoundList | undefined, scope: Scope): CommandPart[] {
    return node?.commands.flatMap((statement) => readStatement(statement, scope)) ?? [];
  }

  function words(nodes: readonly Word[] | undefined, scope: Scope): CommandPart[] {
    return nodes?.flatMap((word) => scan(word, scope)) ?? [];
  }

  function redirected(node: CommandNode, redirects: readonly Redirection[], scope: Scope): CommandPart[] {
    const parts = redirects.flatMap((redirect) => scan(redirect, scope));
    const stdin = noteRedirections(redirects, scope, home, findings);
    return [...parts, ...readNode(node, stdin ? { ...scope, stdin } : scope)];
  }

  function loopVariable(name: Word, values: readonly Word[] | undefined): void {
    if (isRiskyVariable(name.value)) problem(`a loop sets ${name.value}`);
    if (!values) findings.texts.add(name.value);
    for (const value of values ?? []) noteValue(name.value, value);
  }

  function readPipeline(pipeline: Pipeline, scope: Scope): CommandPart[] {
    if (pipeline.commands.length === 1) return pipeline.commands.flatMap((node) => readNode(node, scope));
    return pipeline.commands.flatMap((node, index) =>
      readNode(node, subshell(scope, index === 0 ? {} : { stdin: { from: 'pipe' } })),
    );
  }

  function readNode(node: CommandNode | CompoundList, scope: Scope): CommandPart[] {
    const again: Scope = { ...scope, repeated: true };
    if (scope.dialect === 'posix' && ONLY_BASH.has(node.type))
      problem(`a plain sh reads ${node.type} otherwise than bash`);
    switch (node.type) {
      case 'Command':
        return readCommand(node, scope);
      case 'CompoundList':
        return list(node, scope);
      case 'Redirected':
        return redirected(node.command, node.redirects, scope);
      case 'Subshell':
        return list(node.body, subshell(scope));
      case 'BraceGroup':
        return list(node.body, scope);
      case 'If':
        return [
          ...list(node.clause, scope),
          ...list(node.then, scope),
          ...node.elif.flatMap((branch) => [...list(branch.clause, scope), ...list(branch.then, scope)]),
          ...list(node.else, scope),
        ];
      case 'While':
        return [...list(node.clause, again), ...list(node.body, again)];
      case 'For':
      case 'Select':
        loopVariable(node.name, node.wordlist);
        return [...words(node.wordlist, scope), ...list(node.body, again)];
      case 'ArithmeticFor':
        return [
          ...[node.initialize, node.test, node.update].flatMap((part) => (part ? scan(part, scope) : [])),
          ...list(node.body, again),
        ];
      case 'Case':
        return [
          ...scan(node.word, scope),
          ...node.items.flatMap((item) => [...words(item.pattern, scope), ...list(item.body, scope)]),
        ];
      case 'TestCommand':
      case 'ArithmeticCommand':
        return node.expression ? scan(node.expression, scope) : [];
      case 'Function':
        return [...scan(node.name, scope), ...readNode(node.body, again)];
      case 'Coproc':
        return readNode(node.body, subshell(scope, { stdin: { from: 'pipe' } }));
      default:
        return node satisfies never;
    }
  }

  function readStatement(statement: Statement, scope: Scope): CommandPart[] {
    const { command } = statement;
    const inside = statement.background ? subshell(scope) : scope;
    const nodes = command.type === 'AndOr' ? command.commands : [command];
    return nodes.flatMap((node) =>
      node.type === 'Pipeline' ? readPipeline(node, inside) : readNode(node, inside),
    );
  }

  return {
    script,
    finish(parts) {
      finishFindings(findings);
      const { problem: message } = findings;
      return {
        parts,
        reads: [...findings.reads],
        writes: [...findings.writes],
        ...(message === undefined ? {} : { problem: message }),
      };
    },
  };
}
