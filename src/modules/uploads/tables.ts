/** Files that Markdown of a project or group refers to (contract 08). */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** Files of a project or of a group: exactly one of the two ids is set. Their bytes are under `keyOf` in the object store. */
export const uploads = table(
  'uploads',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    /** 32 lower-case hex digits, new for each upload. */
    secret: t.text(),
    /** The sanitised name. */
    filename: t.name(),
    /** Size of the stored bytes, of images without their metadata. */
    size_bytes: t.bigint(),
    /** SHA-256 of the stored bytes, 64 lower-case hex digits. */
    sha256: t.text(),
    /** The uploader, while the account exists. */
    user_id: t.refers('users', 'set null').nullable(),
    created_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: ['secret', 'project_id'], namespace: ['secret', 'namespace_id'] },
    indexes: {
      project_order: partial('project_id', 'created_at', 'id'),
      namespace_order: partial('namespace_id', 'created_at', 'id'),
      user: ['user_id'],
    },
  },
)
export type UploadsTable = TableOf<typeof uploads>

export type UploadRow = RowOf<typeof uploads>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof uploads> {}
}
