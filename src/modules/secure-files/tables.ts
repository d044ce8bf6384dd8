/** Files of projects that jobs need, such as certificates (contract 24). Their contents are sealed in the object store. */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const ciSecureFiles = table(
  'ci_secure_files',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    name: t.name(),
    /** The random part of the key of the object. */
    secret: t.text(),
    /** Of the content, in lower-case hex digits. */
    sha256: t.text(),
    /** Of the content. */
    size_bytes: t.integer(),
    /** Of the object, which has the sealed content. */
    sealed_bytes: t.integer(),
    created_at: t.time(),
  },
  {
    unique: { name: ['project_id', 'name'], secret: ['secret'] },
    indexes: { order: ['project_id', 'id'] },
  },
)

export type SecureFileRow = RowOf<typeof ciSecureFiles>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof ciSecureFiles> {}
}
