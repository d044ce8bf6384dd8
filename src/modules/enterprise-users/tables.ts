import type { Generated, Selectable } from 'kysely'

/** A domain of a project. Verified, it belongs to the top-level group of the project. */
export type GroupDomainsTable = {
  id: Generated<number>
  project_id: number
  /** In lower case. */
  domain: string
  auto_ssl_enabled: boolean
  verification_code: string
  verified: Generated<boolean>
  /** The end of the current verification. */
  enabled_until: string | null
  /** When an unverified domain is removed; null while it is verified. */
  remove_at: string | null
  created_at: string
}

export type GroupDomainRow = Selectable<GroupDomainsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    group_domains: GroupDomainsTable
  }
}
