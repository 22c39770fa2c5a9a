import { expect, test } from 'vitest';
import { chooseRoot } from '../../../src/relay/jail/root.ts';

test('decision 27: BATON_ROOT, else the declared root, else the folder of the server, which over HTTP is none', () => {
  const base = { serverFolder: '/srv', http: false, environment: {} };
  expect(chooseRoot(base)).toEqual({ root: '/srv', rootKind: 'server-folder' });
  expect(chooseRoot({ ...base, http: true })).toEqual({ root: '/srv', rootKind: 'none' });
  expect(chooseRoot({ ...base, http: true, clientRoot: '/c' })).toEqual({ root: '/c', rootKind: 'declared' });
  const environment = { BATON_ROOT: '/b' };
  expect(chooseRoot({ ...base, environment, clientRoot: '/c' })).toEqual({
    root: '/b',
    rootKind: 'declared',
  });
  expect(() => chooseRoot({ ...base, environment: { BATON_ROOT: 'b' } })).toThrow(
    '"b" (BATON_ROOT) is not absolute',
  );
});
