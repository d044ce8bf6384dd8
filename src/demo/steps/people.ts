import { avatarOf } from '../clients/avatars.ts'
import type { Person } from '../world-types.ts'
import { idOf, type StepContext } from './step-context.ts'

/** Makes the accounts of people, with pictures and profiles. */
export async function makePeople(context: StepContext, people: readonly Person[], password: string): Promise<void> {
  const { ask, ids, names } = context
  for (const { username, name, job, bio, location } of people) {
    const form = new FormData()
    const account = {
      ...{ username, name, password, email: `${username}@example.com`, public_email: `${username}@example.com` },
      ...{ bio, location, job_title: job, organization: 'Slipway', skip_confirmation: 'true' },
    }
    for (const [key, value] of Object.entries(account)) form.set(key, value)
    form.set('avatar', new File([new Uint8Array(avatarOf(username))], `${username}.png`, { type: 'image/png' }))
    const { id } = await ask('root', 'POST', '/users', form)
    ids.set(`user ${username}`, id)
    names.set(username, name)
  }
}

/** Says what people do just now, and lets some follow others. */
export async function setStatuses(context: StepContext, people: readonly Person[]): Promise<void> {
  for (const { username, status } of people) {
    if (status) await context.ask(username, 'PUT', '/user/status', status)
    const others = people.filter((other) => other.username !== username)
    for (const other of context.random.some(others, 2)) {
      await context.ask(username, 'POST', `/users/${idOf(context, `user ${other.username}`)}/follow`)
    }
  }
}
