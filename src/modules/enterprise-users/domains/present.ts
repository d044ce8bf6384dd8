import { forms, type Static, Type } from '../../../api/index.ts'
import { originOf, type Platform, pagesBase } from '../../../platform/index.ts'
import type { GroupDomainRow } from '../tables.ts'

/** A domain that a group may verify (contract 13, GroupDomain). */
export const GroupDomain = Type.Object(
  {
    domain: Type.String(),
    url: Type.String(),
    project_id: Type.Integer(),
    auto_ssl_enabled: Type.Boolean(),
    verified: Type.Boolean(),
    verification_code: Type.String(),
    enabled_until: forms.nullableTimestamp,
  },
  { title: 'GroupDomain' },
)

/** @param platform its scheme and port of sites are those of the domain: what ends TLS in front of them does so for domains too */
export function presentDomain(
  platform: Pick<Platform, 'config' | 'externalUrl'>,
  row: GroupDomainRow,
): Static<typeof GroupDomain> {
  const { domain, project_id, auto_ssl_enabled, verified, verification_code, enabled_until } = row
  return {
    domain,
    url: originOf(pagesBase(platform), domain),
    project_id,
    auto_ssl_enabled,
    verified,
    verification_code,
    enabled_until,
  }
}
