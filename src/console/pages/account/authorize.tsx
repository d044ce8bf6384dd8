import type { AnswerOf, CallOf } from '../../../api/index.ts'
import { signInAddress } from '../../frame/addresses.ts'
import { oauthAuthorizationCreate, oauthAuthorizationGet } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { withQuery } from '../../parts/parts.tsx'
import { Consent } from './consent.tsx'

type Asked = AnswerOf<typeof oauthAuthorizationGet>
type Request = CallOf<typeof oauthAuthorizationGet>

/** The parameters of the application's request. */
function requestOf({ query }: Visit): Request {
  const known = Object.keys(oauthAuthorizationGet.params ?? {})
  return Object.fromEntries(Object.entries(query).filter(([name]) => known.includes(name)))
}

function placeOf({ redirect_uri: address }: Asked): string {
  const { host, protocol } = new URL(address)
  return host || protocol
}

/** How old a sign-in may be with which one comes back from a request for a new one. */
const newSignInSeconds = 300

/** Where to sign in. What asked for a new sign-in is satisfied by it, not asked for again. */
function signInFirst({ path, query, me }: Visit): string {
  const prompts = (query.prompt ?? '').split(' ')
  if (!prompts.includes('login')) return signInAddress(path, me !== null)
  const prompt = prompts.filter((one) => one !== 'login').join(' ') || null
  const max_age = Math.min(newSignInSeconds, Number(query.max_age || newSignInSeconds))
  return signInAddress(withQuery(path, { prompt, max_age }), me !== null)
}

/** Asks whether an application may act as the user, and leads back to it with the answer. */
export const authorize = page({
  at: 'instance',
  path: 'oauth/authorize',
  performs: [oauthAuthorizationCreate],
  leads: (value) => (value as AnswerOf<typeof oauthAuthorizationCreate>).redirect_to,
  async show(visit) {
    const request = requestOf(visit)
    const asked = await visit.read(oauthAuthorizationGet, request)
    if (asked.redirect_to !== null) return { redirect: asked.redirect_to }
    if (asked.step === 'sign_in') return { redirect: signInFirst(visit) }
    if (asked.step === 'allowed' && !visit.refused) {
      const { redirect_to } = await visit.read(oauthAuthorizationCreate, { ...request, decision: 'allow' })
      return { redirect: redirect_to }
    }
    return {
      title: `Authorise ${asked.application_name}`,
      formsLeadTo: asked.redirect_uri,
      body: (
        <Consent
          visit={visit}
          application={asked.application_name}
          scopes={asked.scopes}
          warning={`You will be led to ${placeOf(asked)}. Allow this only if you were about to sign in there.`}
          performs={oauthAuthorizationCreate}
          call={request as Record<string, string>}
        />
      ),
    }
  },
})
