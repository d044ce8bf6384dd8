import { page } from '../../page.ts'
import { Input, OpenForm, sentText } from './open-form.tsx'

/** Creates an account. */
export const signUp = page({
  at: 'instance',
  path: 'users/sign_up',
  async show({ refused, me }) {
    if (me) return { redirect: '/' }
    return {
      title: 'Create an account',
      body: (
        <OpenForm action="/users/sign_up" refused={refused} button="Create the account">
          <Input name="name" label="Name" autocomplete="name" value={sentText(refused, 'name')} isFirst />
          <Input
            name="username"
            label="User name"
            autocomplete="username"
            value={sentText(refused, 'username')}
            hint="Letters, digits, dots, dashes and underscores. It is part of the addresses of your projects."
          />
          <Input
            name="email"
            type="email"
            label="E-mail address"
            autocomplete="email"
            value={sentText(refused, 'email')}
          />
          <Input name="password" type="password" label="Password" autocomplete="new-password" />
        </OpenForm>
      ),
    }
  },
})

/** Asks for a mail with a link that sets a new password. */
export const forgottenPassword = page({
  at: 'instance',
  path: 'users/password/new',
  async show({ refused }) {
    return {
      title: 'Forgotten password',
      body: (
        <OpenForm action="/users/password/new" refused={refused} button="Send a link">
          <Input
            name="email"
            type="email"
            label="E-mail address"
            autocomplete="email"
            value={sentText(refused, 'email')}
            hint="You get a mail with a link that sets a new password."
            isFirst
          />
        </OpenForm>
      ),
    }
  },
})

/** Sets the password of the user of a link in a mail. */
export const newPassword = page({
  at: 'instance',
  path: 'users/password/edit',
  async show({ refused, query }) {
    const token = sentText(refused, 'reset_password_token') || query.reset_password_token || ''
    return {
      title: 'New password',
      body: (
        <OpenForm action="/users/password/edit" refused={refused} button="Set the password">
          <input type="hidden" name="reset_password_token" value={token} />
          <Input name="new_password" type="password" label="New password" autocomplete="new-password" isFirst />
        </OpenForm>
      ),
    }
  },
})
