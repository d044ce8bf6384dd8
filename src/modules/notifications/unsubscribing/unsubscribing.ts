import { notFound } from '../../../api/index.ts'
import { escapeHtml } from '../../../infra/markdown/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { issueAnswers } from '../../issues/index.ts'
import { mergeRequestAnswers } from '../../merge-requests/index.ts'
import { refuseSubscription } from '../../notes/index.ts'
import { projectById } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { disableProject } from '../settings/settings.ts'
import type { IssuableThread } from '../telling/occasion.ts'

const context = 'notifications:unsubscribe'
const kinds = { Issue: issueAnswers, MergeRequest: mergeRequestAnswers } as const
const nouns = { Issue: 'issue', MergeRequest: 'merge request', Project: 'project' } as const

/** Whom a link unsubscribes, and from what. */
type Claim = { userId: number; type: IssuableThread | 'Project'; id: number }

/** The path of the link, before the sealed claim. */
export const unsubscribePath = '/-/sent_notifications/:token/unsubscribe'

/** The link of a mail that ends its kind of mails. The claim is in the link, so nothing is stored, and it does not end. */
export async function unsubscribeUrl({ secrets, externalUrl }: Platform, claim: Claim): Promise<string> {
  const token = (await secrets.sealer()).seal(JSON.stringify(claim), context)
  return `${externalUrl}${unsubscribePath.replace(':token', token)}`
}

/** @throws ApiError 404 for a text that this server did not seal, and when the user or the object is gone */
async function readClaim({ secrets, database }: Platform, token: string) {
  const sealer = await secrets.sealer()
  let claim: Claim
  try {
    claim = JSON.parse(sealer.open(token, context))
  } catch {
    throw notFound()
  }
  const user = await userById(database.read, claim.userId)
  const { type, id } = claim
  const target =
    type === 'Project' ? await projectById(database.read, id) : (await kinds[type].byIds(database.read, [id]))[0]
  if (!user || user.removed_at !== null || !target) throw notFound()
  return { claim, target }
}

const pageOf = (body: string) =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Unsubscribe</title></head><body>${body}</body></html>\n`

/**
 * A page with a button: opening a link must not change anything, since programs open links of mails. It names the number of the
 * object only: the holder of the link may no longer read it.
 */
export async function askToUnsubscribe(platform: Platform, token: string): Promise<string> {
  const { claim, target } = await readClaim(platform, token)
  const number = 'iid' in target ? target.iid : target.id
  const question = `Do you want no more mails about ${nouns[claim.type]} ${number}?`
  return pageOf(`<p>${escapeHtml(question)}</p><form method="post"><button>Unsubscribe</button></form>`)
}

/** Ends the mails of a link, as often as it is opened (RFC 8058). */
export async function unsubscribeByLink(platform: Platform, token: string): Promise<string> {
  const { claim, target } = await readClaim(platform, token)
  const { userId } = claim
  if ('iid' in target) await platform.database.write((tx) => refuseSubscription(platform, tx, target, userId))
  else await disableProject(platform, userId, target.id)
  return pageOf('<p>You get no more mails about it, unless you change your settings, or you are mentioned.</p>')
}
