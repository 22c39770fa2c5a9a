import { isFields, parseJson } from '../../contract/fields.ts';
import { errorMessage } from '../../platform/errors.ts';
import { createTurnReader, type Turn } from './last-turn.ts';

/** The part of `node:sqlite` that is used; the module is there from Node 22.5 on. */
interface Database {
  prepare(sql: string): { all(): unknown[] };
  close(): void;
}
type OpenDatabase = new (path: string, options: { readOnly: boolean }) => Database;

const MOST_ROWS = 100_000;

function sqlite(): OpenDatabase | undefined {
  const module: unknown = process.getBuiltinModule('node:sqlite');
  return isFields(module) && isConstructor(module.DatabaseSync) ? module.DatabaseSync : undefined;
}

function isConstructor(value: unknown): value is OpenDatabase {
  return typeof value === 'function';
}

/** The entries among the texts of a database, in the order of its tables and rows. */
function* entriesOf(database: Database): Generator {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  for (const table of tables) {
    if (!isFields(table) || typeof table.name !== 'string') continue;
    const quoted = `"${table.name.replaceAll('"', '""')}"`;
    for (const row of database.prepare(`SELECT * FROM ${quoted} LIMIT ${MOST_ROWS}`).all()) {
      if (!isFields(row)) continue;
      for (const cell of Object.values(row)) if (typeof cell === 'string') yield parseJson(cell);
    }
  }
}

/**
 * The last turn of a conversation that agy keeps in a database only: every text in it that reads as a transcript entry
 * counts, because the tables are agy's own affair.
 * @returns the turn, or why there is none.
 */
export function readDatabaseTurn(path: string): Turn | { problem: string } {
  const Sqlite = sqlite();
  if (!Sqlite) {
    return {
      problem: `agy: transcript is SQLite-only (${path}) but node:sqlite is unavailable. Upgrade to Node >= 22.5, or to an agy that prints its answer (agy update)`,
    };
  }
  const reader = createTurnReader();
  try {
    const database = new Sqlite(path, { readOnly: true });
    try {
      for (const entry of entriesOf(database)) reader.take(entry);
    } finally {
      database.close();
    }
  } catch (error) {
    return { problem: `agy: the SQLite transcript (${path}) cannot be read: ${errorMessage(error)}` };
  }
  const turn = reader.turn();
  if (turn.reply !== undefined) return turn;
  return {
    problem: `agy: found a SQLite transcript (${path}) but could not extract a model reply from its schema. Upgrade to an agy that prints its answer (agy update)`,
  };
}
