import { instance, notFound, type Static, writing } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { randomToken } from '../../../infra/secrets/index.ts'
import { type Act, operation, type Platform } from '../../../platform/index.ts'
import { changeGroupSettings, group } from '../../groups/index.ts'
import { changeSettings, project } from '../../projects/index.ts'
import { RunnerToken } from '../core/present.ts'

/** Begins registration tokens, so that people tell them from those of runners. */
const prefix = 'GR1348941'

type Replace = (tx: Tx, token: string) => Promise<unknown>

/** Replaces a registration token. Runners that it has registered stay. */
async function resetToken({ database }: Platform, act: Act, replace: Replace): Promise<Static<typeof RunnerToken>> {
  const token = randomToken(prefix)
  await database.write(async (tx) => {
    await replace(tx, token)
    await act(tx)
  })
  return { token, token_expires_at: null }
}

const shared = {
  tag: 'Runners',
  method: 'POST',
  scopes: writing,
  description: 'The former token registers no more runners. Those that it has registered stay.',
  result: [201, RunnerToken],
} as const

const ofInstance = operation({
  ...shared,
  id: 'runners.reset_registration_token',
  contract: 'x.runners_reset_registration',
  path: '/runners/reset_registration_token',
  summary: 'Replace the token with which runners of the instance register',
  subject: instance,
  allow: 'administrator',
  run: ({ platform, act }) =>
    resetToken(platform, act, (tx, token) => platform.settings.update({ runners_registration_token: token }, tx)),
})

const ofGroup = operation({
  ...shared,
  id: 'group_runners.reset_registration_token',
  contract: 'x.group_runners_reset_registration',
  path: '/groups/:id/runners/reset_registration_token',
  summary: 'Replace the token with which runners of a group register',
  subject: group,
  allow: 'admin_runners',
  run: ({ platform, subject: { id }, act }) =>
    resetToken(platform, act, (tx, token) =>
      changeGroupSettings(tx, id, { runners_token: token }, now(platform.clock)),
    ),
})

const ofProject = operation({
  ...shared,
  id: 'project_runners.reset_registration_token',
  contract: 'x.project_runners_reset_registration',
  path: '/projects/:id/runners/reset_registration_token',
  summary: 'Replace the token with which runners of a project register',
  subject: project,
  allow: 'admin_runners',
  run: ({ platform, subject: { id }, act }) =>
    resetToken(platform, act, async (tx, token) => {
      if (!(await changeSettings(tx, id, { runners_token: token }, now(platform.clock)))) throw notFound('Project')
    }),
})

/** New registration tokens (contract 26.18). */
export const resetOperations = [ofInstance, ofGroup, ofProject]
