/** What is found while a script is read, beyond its commands. */
export interface Findings {
  readonly reads: Set<string>;
  readonly writes: Set<string>;
  /** The first reason why the script cannot be judged. */
  problem: string | undefined;
  /** Variables whose value the shell evaluates as arithmetic, which runs commands if the value is made for it
   * (`a[$(…)]`). */
  readonly evaluated: Set<string>;
  /** Variables that the script gives a value other than a number. */
  readonly texts: Set<string>;
  /** A folder change and a relative redirection in loops or functions, whose order is then unknown. */
  movesRepeatedly: boolean;
  writesRepeatedly: boolean;
}

export function createFindings(): Findings {
  return {
    reads: new Set(),
    writes: new Set(),
    problem: undefined,
    evaluated: new Set(),
    texts: new Set(),
    movesRepeatedly: false,
    writesRepeatedly: false,
  };
}

export function addProblem(findings: Findings, message: string): void {
  findings.problem ??= message;
}

/** The problems that show only when all was read. */
export function finishFindings(findings: Findings): void {
  for (const name of findings.evaluated) {
    if (findings.texts.has(name)) addProblem(findings, `the text in ${name} is evaluated as arithmetic`);
  }
  if (findings.movesRepeatedly && findings.writesRepeatedly)
    addProblem(findings, 'the folder that a redirection starts from changes in a loop or function');
}
