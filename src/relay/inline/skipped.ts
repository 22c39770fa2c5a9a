const repositoryFolders = new Set(['.git', '.hg', '.svn', '.jj']);
const skippedFolders = new Set(['node_modules', 'dist', '.venv', '__pycache__']);

/** Whether a path is, or lies in, a version control folder. None is ever walked: `.git/config` may hold tokens. */
export function isRepositoryData(name: string): boolean {
  return name.split('/').some((part) => repositoryFolders.has(part.toLowerCase()));
}

/** Folders of dependencies and build results, which expansions leave out even where no .gitignore names them. */
export function isSkippedFolder(name: string): boolean {
  return skippedFolders.has(name);
}
