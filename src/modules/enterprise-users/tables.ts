/** Domains that groups verify, and the users whom they claim by them (contract 13). */
import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** A domain of a project. Verified, it belongs to the top-level group of the project. */
export const groupDomains = table(
  'group_domains',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** In lower case. */
    domain: t.text(),
    auto_ssl_enabled: t.boolean().default(false),
    verification_code: t.text(),
    verified: t.boolean().default(false),
    /** The end of the current verification. */
    enabled_until: t.time().nullable(),
    /** When an unverified domain is removed; null while it is verified. */
    remove_at: t.time().nullable(),
    created_at: t.time(),
  },
  {
    unique: { domain: ['domain'] },
    indexes: { project: ['project_id', 'id'] },
  },
)

export type GroupDomainRow = RowOf<typeof groupDomains>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof groupDomains> {}
}
