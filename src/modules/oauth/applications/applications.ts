import { notFound, type PageRequest, refuse } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { hashToken, randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
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
export async function createApplication({ database, clock }: Platform, wanted: WantedApplication) {
  refuse(applicationProblems(wanted))
  const secret = newSecret()
  const row = await database.write((tx) =>
    insertApplication(tx, {
      uid: randomHex(32),
      secret_digest: hashToken(secret),
      name: wanted.name,
      redirect_uri: addressesIn(wanted.redirect_uri).join('\n'),
      scopes: JSON.stringify(scopesIn(wanted.scopes)),
      confidential: wanted.confidential ?? true,
      created_at: now(clock),
    }),
  )
  return { ...presentApplication(row), secret }
}

/** Replaces the secret of an application (contract 20, x.applications_renew). @throws ApiError 404 */
export async function renewSecret({ database }: Platform, id: number) {
  const secret = newSecret()
  const row = await database.write((tx) => replaceSecret(tx, id, hashToken(secret)))
  if (!row) throw notFound()
  return { ...presentApplication(row), secret }
}

/** Deletes an application; its tokens end at once (contract 20, x.applications_delete). @throws ApiError 404 or 412 */
export async function removeApplication(
  { database }: Platform,
  id: number,
  unmodified: (at: string) => void,
): Promise<void> {
  await database.write(async (tx) => {
    const row = await applicationById(tx, id)
    if (!row) throw notFound()
    unmodified(row.created_at)
    await deleteApplication(tx, row.id)
  })
}
