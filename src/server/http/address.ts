import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { errorMessage } from '../../platform/errors.ts';
import { ConfigurationError } from '../open-core.ts';

export const DEFAULT_HTTP_ADDRESS = '127.0.0.1:8765';

export interface HttpAddress {
  /** A name or a literal address, without brackets. */
  host: string;
  port: number;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

/** Whether an IP address, without brackets, is one that only this machine reaches. */
export function isLoopback(ip: string): boolean {
  const family = isIP(ip);
  return family !== 0 && loopback.check(ip, family === 4 ? 'ipv4' : 'ipv6');
}

function split(address: string): HttpAddress {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) {
    throw new ConfigurationError(
      `http address ${JSON.stringify(address)}: want host:port, such as ${DEFAULT_HTTP_ADDRESS}`,
    );
  }
  return { host: match[1] ?? match[2] ?? '', port };
}

async function addressesOf(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new ConfigurationError(`resolve http host ${JSON.stringify(host)}: ${errorMessage(error)}`);
  }
}

/**
 * Reads a listening address and refuses every one that other machines could reach: a name must resolve to loopback
 * addresses only, a literal address is not resolved.
 * @param resolveHost for tests of names that resolve elsewhere
 * @throws {ConfigurationError}
 */
export async function checkAddress(
  address: string,
  resolveHost: (host: string) => Promise<string[]> = addressesOf,
): Promise<HttpAddress> {
  const parsed = split(address);
  const { host } = parsed;
  const shown = JSON.stringify(address);
  if (host === '') {
    throw new ConfigurationError(
      `http address ${shown} binds all interfaces; specify a loopback host (e.g. 127.0.0.1:8765) for HTTP mode`,
    );
  }
  if (isIP(host)) {
    if (isLoopback(host)) return parsed;
    throw new ConfigurationError(
      `http address ${shown} must be loopback only (localhost, 127.0.0.1, or ::1) for HTTP mode`,
    );
  }
  const resolved = await resolveHost(host);
  if (resolved.length === 0) {
    throw new ConfigurationError(
      `http host ${JSON.stringify(host)} resolves to no addresses; use localhost, 127.0.0.1 or ::1`,
    );
  }
  const stranger = resolved.find((ip) => !isLoopback(ip));
  if (stranger !== undefined) {
    throw new ConfigurationError(
      `http host ${JSON.stringify(host)} resolves to non-loopback address ${stranger}; use localhost, 127.0.0.1 or ::1`,
    );
  }
  return parsed;
}
