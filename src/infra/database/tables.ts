/**
 * The tables of the database. Each module adds its tables by augmenting this interface in its `tables.ts`: queries are typed
 * although `infra/database` imports no module.
 *
 * ```ts
 * declare module '../../infra/database/tables.ts' {
 *   interface Tables { branches: BranchesTable }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Tables {}

/** The database engine of a handle. */
export type Engine = 'sqlite' | 'postgres'
