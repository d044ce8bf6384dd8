import type { Generated, Selectable } from 'kysely'

/** Joins deploy keys to projects (contract 01, "Keys"). */
export type DeployKeyProjectsTable = {
  id: Generated<number>
  key_id: number
  project_id: number
  can_push: Generated<boolean>
  created_at: string
  updated_at: string
}

export type DeployKeyProjectRow = Selectable<DeployKeyProjectsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    deploy_key_projects: DeployKeyProjectsTable
  }
}
