type ProjectFetchesTable = {
  project_id: number
  /** In UTC. */
  day: string
  number: number
}

declare module '../../infra/database/tables.ts' {
  interface Tables {
    project_fetches: ProjectFetchesTable
  }
}
