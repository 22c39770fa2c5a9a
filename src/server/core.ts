import type { Selection } from '../backends/select.ts';
import type { Backend, Environment } from '../backends/types.ts';
import type { JobsClient } from '../jobs/client.ts';
import type { Log } from './log.ts';
import type { ToolSet } from './tool-sets.ts';

/** What all connections of one server process share. */
export interface ServerCore {
  /** The name the server goes by: that of the bin it was started as. */
  name: 'baton' | 'agy-mcp';
  environment: Environment;
  /** Where relative folders of a call are resolved. */
  cwd: string;
  stateDir: string;
  /** Which tools are offered. */
  toolSets: readonly ToolSet[];
  /** Many clients share this server, and its folder is nobody's project. */
  http: boolean;
  log: Log;
  /** The door to the supervisor, opened on first use: listing tools needs none. */
  jobs(): Promise<JobsClient>;
  /**
   * The backend of a job tool call.
   * @throws {BackendError} for a name that is none or serves other tools.
   */
  backend(choice: string | undefined): Promise<Backend>;
  /**
   * The backend of a relay tool call, and what there is to say about the choice.
   * @throws {BackendError} for a name that is none.
   */
  relayBackend(choice: string | undefined): Promise<Selection>;
}
