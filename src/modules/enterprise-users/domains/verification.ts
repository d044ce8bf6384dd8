import { failure } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { textRecords } from '../../../infra/net/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import { claimUsers } from '../../users/index.ts'
import type { GroupDomainRow } from '../tables.ts'
import { deleteUnverified, domainsToCheck, groupOfDomain, updateDomain } from './store.ts'

const dayMs = 86_400_000
const validMs = 7 * dayMs
/** Domains that one query of the job reads. */
const checkedAtOnce = 100

const later = ({ clock }: Pick<Platform, 'clock'>, ms: number) => new Date(clock.now().getTime() + ms).toISOString()

/** When a domain that is unverified from now on is removed. */
export const removalOf = (platform: Pick<Platform, 'clock'>) => later(platform, validMs)

const label = 'fennec-pages-verification-code'

/** Whether the code of a domain is published: at the domain itself or below it (contract 13, Domain). */
async function isPublished({ config }: Platform, { domain, verification_code }: GroupDomainRow): Promise<boolean> {
  const wanted = `${label}=${verification_code}`
  const read = async (name: string) =>
    config.domainsVerification === 'static'
      ? Object.hasOwn(config.domainsStaticTxt, name)
        ? (config.domainsStaticTxt[name] ?? [])
        : []
      : textRecords(name)
  return (await read(domain)).includes(wanted) || (await read(`_${label}.${domain}`)).includes(wanted)
}

/** Makes the users of a domain that was verified enterprise users of its group. */
export const claimDomainJob: Job<{ domain: string }> = {
  kind: 'group_domains.claim',
  async run({ database, clock }, { domain }) {
    await database.write(async (tx) => {
      const groupId = await groupOfDomain(tx, domain)
      if (groupId !== null) await claimUsers(tx, { groupId, domain, at: now(clock) })
    })
  },
}

async function noteSuccess(platform: Platform, tx: Tx, { id, domain }: GroupDomainRow): Promise<GroupDomainRow | null> {
  const verified = { verified: true, enabled_until: later(platform, validMs), remove_at: null }
  const row = await updateDomain(tx, id, verified)
  if (row) await enqueue(platform, tx, claimDomainJob, { domain }, { uniqueKey: domain })
  return row
}

/**
 * Looks the code of a domain up, and verifies the domain for a week.
 * @throws ApiError 422 when the code is not published
 */
export async function verifyDomain(platform: Platform, row: GroupDomainRow): Promise<GroupDomainRow> {
  if (!(await isPublished(platform, row))) throw failure(422, `Couldn't verify ${row.domain}`)
  return (await platform.database.write((tx) => noteSuccess(platform, tx, row))) ?? row
}

/** Looks up the code of one domain; a verification that has run out ends. */
async function recheck(platform: Platform, row: GroupDomainRow): Promise<void> {
  const { database, clock } = platform
  if (await isPublished(platform, row)) {
    await database.write((tx) => noteSuccess(platform, tx, row))
  } else if (row.verified && (row.enabled_until ?? '') <= now(clock)) {
    const lapsed = { verified: false, enabled_until: null, remove_at: removalOf(platform) }
    await database.write((tx) => updateDomain(tx, row.id, lapsed))
  }
}

/** Verifies domains again (contract 13, Domain): unverified ones every hour, verified ones every day. */
export const recheckDomainsJob: Job<null> = {
  kind: 'group_domains.recheck',
  every: { seconds: 3600 },
  times: [
    { table: 'group_domains', column: 'enabled_until', longestMs: validMs },
    { table: 'group_domains', column: 'remove_at', longestMs: validMs, leaveMs: validMs },
  ],
  async run(platform, _payload, { signal }) {
    const { database, clock } = platform
    await database.write((tx) => deleteUnverified(tx, now(clock)))
    let lastId = 0
    for (;;) {
      const rows = await domainsToCheck(database.read, lastId, later(platform, validMs - dayMs), checkedAtOnce)
      for (const row of rows) {
        signal.throwIfAborted()
        await recheck(platform, row)
        lastId = row.id
      }
      if (rows.length < checkedAtOnce) return
    }
  },
}
