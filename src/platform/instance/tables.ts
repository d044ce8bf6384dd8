/** What all nodes share, by name. */
export type InstanceFactsTable = { name: string; value: string }

declare module '../../infra/database/tables.ts' {
  interface Tables {
    instance_facts: InstanceFactsTable
  }
}
