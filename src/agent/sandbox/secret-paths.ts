import { join } from 'node:path';

/** Where people keep keys and sign-ins, below their home folder. */
const SECRETS = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.password-store',
  '.vault-token',
  '.terraform.d',
  '.codex',
  '.gemini',
  '.claude',
  '.claude.json',
  '.config/gcloud',
  '.config/gh',
  '.config/git/credentials',
  '.config/op',
  '.config/rclone',
  '.config/containers/auth.json',
  '.local/share/keyrings',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.mozilla',
  '.config/google-chrome',
  '.config/chromium',
  'Library/Keychains',
  'Library/Application Support/Google/Chrome',
  'Library/Cookies',
];

/** Files and folders that hold secrets; they need not exist. */
export function secretPaths(home: string): string[] {
  return SECRETS.map((name) => join(home, name));
}
