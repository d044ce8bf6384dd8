import { page } from '../../page.ts'
import { Input, OpenForm, sentText } from './open-form.tsx'

/** What is asked for besides the name and the password. An expired password is changed before a code is used up. */
function NextStep({ kind }: { kind: string }) {
  const code = { name: 'code', label: 'Code of your device, or a recovery code', autocomplete: 'one-time-code' }
  if (kind === 'code_needed') return <Input {...code} isFirst />
  if (kind !== 'password_expired') return <></>
  return (
    <>
      <Input name="new_password" type="password" label="New password" autocomplete="new-password" isFirst />
      <Input {...code} isOptional />
    </>
  )
}

/** Signs in, and leads to where the caller came from. */
export const signIn = page({
  at: 'instance',
  path: 'users/sign_in',
  async show({ query, refused, me }) {
    // An application may ask that the user signs in again.
    if (me && query.again === undefined) return { redirect: '/' }
    const kind = sentText(refused, 'kind')
    return {
      title: 'Sign in',
      body: (
        <div>
          <OpenForm action="/users/sign_in" refused={refused} button="Sign in">
            <input type="hidden" name="return_to" value={sentText(refused, 'return_to') || query.return_to || '/'} />
            <Input
              name="username"
              label="User name or e-mail address"
              autocomplete="username"
              value={sentText(refused, 'username')}
              isFirst={!['code_needed', 'password_expired'].includes(kind)}
            />
            <Input name="password" type="password" label="Password" autocomplete="current-password" />
            <NextStep kind={kind} />
          </OpenForm>
          <p class="soft">
            <a href="/users/sign_up">Create an account</a> · <a href="/users/password/new">Forgot your password?</a>
          </p>
        </div>
      ),
    }
  },
})
