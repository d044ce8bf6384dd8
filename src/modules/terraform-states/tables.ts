/** States of Terraform and OpenTofu (contract 26.15). Their documents are sealed in the object store, one for each version. */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const terraformStates = table(
  'terraform_states',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    name: t.name(),
    /** What the holder of the lock calls it; null while the state is not locked. */
    lock_id: t.text().nullable(),
    /** JSON of what else the holder says about the lock. */
    lock_details: t.text().nullable(),
    locked_by_id: t.refers('users', 'set null').nullable(),
    locked_at: t.time().nullable(),
    created_at: t.time(),
    /** Of the newest version and of the lock. */
    updated_at: t.time(),
  },
  {
    unique: { name: ['project_id', 'name'] },
    indexes: { locked_by: ['locked_by_id'] },
  },
)

export type StateRow = RowOf<typeof terraformStates>

export const terraformStateVersions = table(
  'terraform_state_versions',
  {
    /** The version that was written last has the highest. */
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    state_id: t.refers('terraform_states', 'cascade'),
    /** As the document says. */
    serial: t.integer(),
    /** The random part of the key of the object. */
    secret: t.text(),
    /** Of the document. */
    size_bytes: t.integer(),
    /** Of the object, which has the sealed document. */
    sealed_bytes: t.integer(),
    created_at: t.time(),
  },
  {
    unique: { serial: ['state_id', 'serial'], secret: ['secret'] },
    indexes: { order: ['state_id', 'id'], project: ['project_id'] },
  },
)

export type VersionRow = RowOf<typeof terraformStateVersions>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof terraformStates | typeof terraformStateVersions> {}
}
