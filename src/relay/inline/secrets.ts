/**
 * Names under which keys, tokens and passwords are usually kept. Expansions (`@dir`, globs) leave such files out and say
 * so; a file that the caller names itself is sent, except where the root is a whole home folder or machine.
 */
const secretNames = new Set([
  '.env',
  '.envrc',
  '.npmrc',
  '.netrc',
  '_netrc',
  '.git-credentials',
  '.pypirc',
  '.dockercfg',
  '.dockerconfigjson',
  '.pgpass',
  '.my.cnf',
  '.mylogin.cnf',
  '.htpasswd',
  '.s3cfg',
  '.boto',
  '.vault-token',
  '.terraformrc',
  'terraform.rc',
  '.rhosts',
  '.shosts',
  '.fetchmailrc',
  '.msmtprc',
  '.mutt_secrets',
  '.credentials.json',
  '.claude.json',
  'application_default_credentials.json',
  'oauth_creds.json',
  'access_tokens.db',
  'accesstokens.json',
  'auth.json',
  'credentials',
  'credentials.json',
  'credentials.yml',
  'credentials.yaml',
  'credentials.toml',
  'credentials.ini',
  'credentials.xml',
  'credentials.csv',
  'credentials.db',
  'secrets',
  'secrets.json',
  'secrets.yml',
  'secrets.yaml',
  'secrets.toml',
  'secrets.ini',
  'secrets.properties',
  'secret.json',
  'secret.yml',
  'secret.yaml',
  'secret.toml',
  'secret.ini',
  'secret.properties',
  'serviceaccountkey.json',
  'kubeconfig',
  'wp-config.php',
  'shadow',
  'shadow-',
  'gshadow',
  'gshadow-',
  'sudoers',
  'master.passwd',
  'krb5.keytab',
  '.bash_history',
  '.zsh_history',
  '.sh_history',
  '.history',
  '.fish_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
  '.sqlite_history',
  '.rediscli_history',
  'login data',
  'cookies.sqlite',
  'logins.json',
  'key4.db',
]);

const secretPatterns = [
  /^\.env\..+/,
  /.\.env$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:\.pub)?$/,
  /\.(?:pem|key|pfx|p12|p8|pkcs12|jks|jceks|bks|keystore|truststore|kdbx?|ppk|keytab|ovpn|agekey|keychain|keychain-db)$/,
  /\.tfstate(?:\.backup)?$/,
  /\.tfvars(?:\.json)?$/,
  /^client_secret.*\.json$/,
  /^service[-_]?account.*\.json$/,
  /.*firebase-adminsdk.*\.json$/,
];

const secretFolders = new Set([
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.gcloud',
  '.password-store',
  '.secrets',
  'keyrings',
]);

/** Two names that mean a secret only together. */
const secretTails = [
  '.docker/config.json',
  '.config/gh/hosts.yml',
  '.config/hub',
  '.config/gcloud',
  '.cargo/credentials.toml',
  '.m2/settings.xml',
  '.gem/credentials',
];

/**
 * @param name a path with `/` between names, relative or absolute; its case does not matter.
 */
export function looksSecret(name: string): boolean {
  const names = name.toLowerCase().split('/');
  const base = names.at(-1) ?? '';
  if (secretNames.has(base) || secretPatterns.some((pattern) => pattern.test(base))) return true;
  if (names.slice(0, -1).some((folder) => secretFolders.has(folder))) return true;
  const whole = `/${names.join('/')}`;
  return secretTails.some((tail) => whole.endsWith(`/${tail}`) || whole.includes(`/${tail}/`));
}

/** Whether a folder is one that is never gone through because of what it keeps. */
export function isSecretFolder(name: string): boolean {
  const lower = name.toLowerCase();
  return secretFolders.has(lower.split('/').at(-1) ?? '') || looksSecret(`${lower}/x`);
}

/** A private key under whatever name. */
export function isPrivateKey(text: string): boolean {
  return /^\s*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/.test(text.slice(0, 4096));
}

/**
 * Files of the running system that hold the environment, memory or devices of processes: never inlined, whatever the
 * root and however they were named.
 * @param realPath absolute, links resolved.
 */
export function isSystemFile(realPath: string): boolean {
  return process.platform !== 'win32' && /^\/(?:proc|sys|dev)(?:\/|$)/.test(realPath);
}
