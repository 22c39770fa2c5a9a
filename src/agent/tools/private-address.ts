import { BlockList, isIP, isIPv4 } from 'node:net';

/** Networks that are not the public internet (the registries of IANA for special purposes). */
const CLOSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Of the only public range, 2000::/3, what is not public, or leads to an IPv4 address of the sender's choice. */
const CLOSED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

let lists: { closed: BlockList; publicV6: BlockList; nat64: BlockList } | undefined;

function addTo(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits = ''] = network.split('/');
  list.addSubnet(address, Number(bits), family);
}

function getLists(): NonNullable<typeof lists> {
  if (lists) return lists;
  lists = { closed: new BlockList(), publicV6: new BlockList(), nat64: new BlockList() };
  for (const network of CLOSED_V4) addTo(lists.closed, network, 'ipv4');
  for (const network of CLOSED_V6) addTo(lists.closed, network, 'ipv6');
  addTo(lists.publicV6, '2000::/3', 'ipv6');
  addTo(lists.nat64, '64:ff9b::/96', 'ipv6');
  return lists;
}

/** The IPv4 address in the last 32 bits of an IPv6 address. */
function embeddedV4(address: string): string {
  // The URL parser writes any spelling of an IPv6 address in its short hexadecimal form.
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [high = '0', low = '0'] = plain.replace(/^.*::/, '').split(':').slice(-2);
  const only = plain.replace(/^.*::/, '').includes(':') ? undefined : high;
  const numbers = only === undefined ? [high, low] : ['0', only];
  return numbers
    .map((hex) => Number.parseInt(hex || '0', 16))
    .flatMap((part) => [part >> 8, part & 255])
    .join('.');
}

/** Whether an address belongs to this machine, a private network, or nothing on the public internet. In doubt it does. */
export function isPrivateAddress(address: string): boolean {
  const { closed, publicV6, nat64 } = getLists();
  if (isIPv4(address)) return closed.check(address, 'ipv4');
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) !== 6) return true;
  if (nat64.check(plain, 'ipv6')) return closed.check(embeddedV4(plain), 'ipv4');
  const mapped = /^(?:::|(?:0+:){5})ffff:/i.test(plain);
  if (mapped)
    return closed.check(plain.includes('.') ? plain.replace(/^.*:/, '') : embeddedV4(plain), 'ipv4');
  return !publicV6.check(plain, 'ipv6') || closed.check(plain, 'ipv6');
}
