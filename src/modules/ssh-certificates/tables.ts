/** Keys of authorities whose SSH certificates top-level groups accept (contract 26.12). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

export const groupSshCertificates = table(
  'group_ssh_certificates',
  {
    id: t.id(),
    namespace_id: t.refers('namespaces', 'cascade'),
    title: t.text(),
    /** The public key of the authority: `type base64 comment`. */
    key: t.text(),
    fingerprint_sha256: t.name(),
    created_at: t.time(),
  },
  {
    unique: { fingerprint_sha256: ['fingerprint_sha256'] },
    indexes: { order: ['namespace_id', 'id'] },
  },
)
export type GroupSshCertificateRow = RowOf<typeof groupSshCertificates>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof groupSshCertificates> {}
}
