import { signInAddress } from '../../frame/addresses.ts'
import { oauthDeviceAuthorizationCreate, oauthDeviceAuthorizationGet } from '../../operations.ts'
import { page } from '../../page.ts'
import { Problem } from '../../parts/refusal.tsx'
import { Consent } from './consent.tsx'
import { Input } from './open-form.tsx'

const title = 'Authorise a device'

function Enter({ isWrong, code }: { isWrong: boolean; code: string }) {
  return (
    <form class="sign-in" method="get" action="/oauth/device">
      {isWrong && <Problem>There is no such code, or it has expired.</Problem>}
      <Input name="user_code" label="Code that the device shows" autocomplete="off" value={code} isFirst />
      <button class="primary">Continue</button>
    </form>
  )
}

const answers: Readonly<Record<string, string>> = {
  allow: 'The device has access to your account now. You can go back to it.',
  deny: 'The device got no access.',
}

/** Where people enter the code that a device shows, and decide whether it may act as them. */
export const device = page({
  at: 'instance',
  path: 'oauth/device',
  performs: [oauthDeviceAuthorizationCreate],
  async show(visit) {
    if (!visit.me) return { redirect: signInAddress(visit.path) }
    const { user_code: code = '', answer = '' } = visit.query
    if (answers[answer]) return { title, body: <p class="lead">{answers[answer]}</p> }
    const asked = code === '' ? null : await visit.find(oauthDeviceAuthorizationGet, { user_code: code })
    if (!asked) return { title, body: <Enter isWrong={code !== ''} code={code} /> }
    return {
      title,
      body: (
        <Consent
          visit={visit}
          application={asked.application_name}
          scopes={asked.scopes}
          warning="Allow this only if you have begun it yourself, on a device that shows this code."
          performs={oauthDeviceAuthorizationCreate}
          call={{ user_code: code }}
          then="/oauth/device?answer={decision}"
        />
      ),
    }
  },
})
