import type { Generated, Selectable } from 'kysely'

/** Files of a project or of a group: exactly one of the two ids is set. Their bytes are under `keyOf` in the object store. */
export type UploadsTable = {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  /** 32 lower-case hex digits, new for each upload. */
  secret: string
  /** The sanitised name. */
  filename: string
  /** Size of the stored bytes, of images without their metadata. */
  size_bytes: number
  /** SHA-256 of the stored bytes, 64 lower-case hex digits. */
  sha256: string
  /** The uploader, while the account exists. */
  user_id: number | null
  created_at: string
}

export type UploadRow = Selectable<UploadsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    uploads: UploadsTable
  }
}
