/**
 * Every table of the database by name. Each module adds its own tables by augmenting this interface in its `tables.ts`,
 * so that this floor knows none of them and every query is still typed:
 *
 * ```ts
 * declare module '../../infra/database/tables.ts' {
 *   interface Tables { branches: BranchesTable }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Tables {}

/** Name of the database engine behind a handle. */
export type Engine = 'sqlite' | 'postgres'
