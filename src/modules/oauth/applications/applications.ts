import { type Actor, notFound, type PageRequest, refuse } from '../../../api/index.ts'
import { claim, now } from '../../../infra/database/index.ts'
import { hashToken, randomHex } from '../../../infra/secrets/index.ts'
import { type Platform, recordAct } from '../../../platform/index.ts'
import { presentApplication } from './present.ts'
import { addressesIn, applicationProblems, scopesIn, type WantedApplication } from './rules.ts'
import { applicationById, deleteApplication, insertApplication, pageOfApplications, replaceSecret } from './store.ts'

const newSecret = () => `gloas-${randomHex(32)}`

/** A page of the applications (contract 20, x.applications_list). */
export async function listApplications({ database }: Platform, page: PageRequest) {
  const found = await pageOfApplications(database.read, page)
  return { ...found, items: found.items.map(presentApplication) }
}

/** Registers an application; its secret is shown once (contract 20, x.applications_create). @throws ApiError 400 */
export async function createApplication(platform: Platform, wanted: WantedApplication, actor: Actor) {
  const { database, clock } = platform
  refuse(applicationProblems(wanted))
  const secret = newSecret()
  const row = await database.write(async (tx) => {
    const inserted = await insertApplication(tx, {
      uid: randomHex(32),
      secret_digest: hashToken(secret),
      name: wanted.name,
      redirect_uri: addressesIn(wanted.redirect_uri).join('\n'),
      scopes: JSON.stringify(scopesIn(wanted.scopes)),
      confidential: wanted.confidential ?? true,
      created_at: now(clock),
    })
    const target = { kind: 'application', id: inserted.id } as const
    await recordAct(platform, tx, actor, { name: 'applications.create', target })
    return inserted
  })
  return { ...presentApplication(row), secret }
}

/** Replaces the secret of an application (contract 20, x.applications_renew). @throws ApiError 404 */
export async function renewSecret(platform: Platform, id: number, actor: Actor) {
  const secret = newSecret()
  const row = await platform.database.write(async (tx) => {
    const replaced = await replaceSecret(tx, id, hashToken(secret))
    if (!replaced) throw notFound()
    await recordAct(platform, tx, actor, { name: 'applications.renew', target: { kind: 'application', id } })
    return replaced
  })
  return { ...presentApplication(row), secret }
}

/** Deletes an application; its tokens end at once (contract 20, x.applications_delete). @throws ApiError 404 or 412 */
export async function removeApplication(
  platform: Platform,
  id: number,
  { unmodified, actor }: { unmodified: (at: string) => void; actor: Actor },
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'oauth_applications', () => applicationById(tx, id))
    if (!row) throw notFound()
    unmodified(row.created_at)
    await deleteApplication(tx, row.id)
    await recordAct(platform, tx, actor, { name: 'applications.delete', target: { kind: 'application', id: row.id } })
  })
}
