/**
 * Turns `file:src/a.ts` in a request into the reference `@src/a.ts`. Only where a word begins: `Makefile:12` and
 * `file://…` are left alone.
 */
export function fileWordsToReferences(request: string): string {
  return request.replaceAll(/(?<![\w@./\\-])file:(?!\/\/)(?=[^\s:])/g, '@');
}

/**
 * The prompt that makes a model answer in edits which a program can apply. References to files go into the request and
 * are inlined afterwards, with the whole prompt.
 */
export function changeModePrompt(request: string): string {
  return `[CHANGEMODE INSTRUCTIONS]
A program reads your answer and turns it into edits of files. Do not edit any file yourself: answer with the edits.

Write each edit like this; what stands between the edits is skipped:

**FILE: path/from/the/project/root.ext:LINE**
\`\`\`
OLD:
the lines as they are now
NEW:
the lines as they shall be
\`\`\`

What makes an edit usable:
- OLD is copied from the file character by character, with its indentation, blank lines and comments. It is looked up by its text; LINE, the number of its first line, is only a help.
- OLD occurs exactly once in the file. Take in as many lines before and after as that needs.
- OLD and NEW are whole lines. NEW holds everything that OLD held and that shall stay.
- To delete lines, leave NEW empty. To make a new file, leave OLD empty and put the whole file into NEW.
- Edits of one file do not overlap, and each is made for the file as it is now, not as an earlier edit leaves it.
- If OLD or NEW contains a line that begins with three or more backticks, open and close the block with a longer row of backticks than any of them.
- Change only what the request asks for.

Example, a change in a function:

**FILE: src/greeting.py:12**
\`\`\`
OLD:
def greeting(name):
    return "Hi " + name
NEW:
def greeting(name: str) -> str:
    return f"Hi {name}"
\`\`\`

Example, a line that occurs twice and so needs the lines around it:

**FILE: web/index.html:31**
\`\`\`
OLD:
<section id="prices">
  <button>Buy</button>
NEW:
<section id="prices">
  <button type="button">Order</button>
\`\`\`

USER REQUEST:
${fileWordsToReferences(request)}`;
}
