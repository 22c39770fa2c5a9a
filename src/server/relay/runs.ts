import type { RelayRunTool } from '../../relay/replies/run-tools.ts';

/** A relay run that a client of this server has in flight, from the call's arrival on. */
export interface FlightEntry {
  tool: RelayRunTool;
  clientKey: string;
  /** The first line of what was asked. */
  title: string;
  /** Absent while the call is still being prepared. */
  jobId?: string;
  /** Stops the preparation. */
  cancel: AbortController;
}

/** The relay runs that the clients of this server process started and that have not ended as far as it knows. */
export interface Flights {
  begin(entry: Pick<FlightEntry, 'tool' | 'clientKey' | 'title'>): FlightEntry;
  end(entry: FlightEntry): void;
  /** Those of one client, in the order in which they came. */
  of(clientKey: string): FlightEntry[];
}

export function createFlights(): Flights {
  const entries = new Set<FlightEntry>();
  return {
    begin(entry) {
      const made: FlightEntry = { ...entry, cancel: new AbortController() };
      entries.add(made);
      return made;
    },
    end: (entry) => void entries.delete(entry),
    of: (clientKey) => [...entries].filter((entry) => entry.clientKey === clientKey),
  };
}
