import { randomUUID } from 'node:crypto'
import { type Actor, instance, limitRequests, Type, t, writing } from '../../../api/index.ts'
import { operation, type Platform } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { requireHook } from '../core/hooks.ts'
import { hookOwnerOf, instanceHooks } from '../core/owner.ts'
import { eventsOf, hookPath } from '../core/params.ts'
import { isAccepted, receiverFailed } from '../delivery/attempt.ts'
import { sendNow } from '../log/log.ts'
import { type EventColumn, eventColumns } from '../tables.ts'
import { systemHeader, triggers } from '../triggers.ts'
import { samples } from './samples.ts'

const testing = { name: 'web_hook_test', requests: 5, periodSeconds: 60 }

async function sendSample(
  platform: Platform,
  owner: { kind: 'project' | 'group'; id: number },
  actor: Actor,
  hookId: number,
  column: EventColumn,
): Promise<{ message: string }> {
  const userId = actor.kind === 'user' ? actor.userId : null
  const hook = await requireHook(platform.database.read, hookOwnerOf(owner), hookId)
  await limitRequests(platform, `${userId ?? 0}:${owner.kind}:${owner.id}`, testing)
  const { trigger, build } = samples[column]
  const payload = JSON.stringify(await build({ platform, owner, userId })).replaceAll('\\u0000', '\\ufffd')
  const { header, logged: trigger_name } = triggers[trigger]
  const event = { uuid: randomUUID(), header, trigger_name, payload }
  const made = await sendNow(platform, hook, event, randomUUID(), null)
  if (!isAccepted(made)) throw receiverFailed(made)
  return { message: '201 Created' }
}

const Created = Type.Object({ message: Type.String() })

/** Tests of hooks with real data (contract 21, x.project_hooks_test). */
export const trialOperations = atProjectAndGroup(({ kind, path, subject }) => [
  operation({
    id: `${kind}_hooks.test`,
    contract: `x.${kind}_hooks_test`,
    method: 'POST',
    path: `${path}/hooks/:hook_id/test/:trigger`,
    tag: 'Webhooks',
    summary: `Send real data of an event to a webhook of a ${kind}`,
    subject,
    allow: 'admin_hooks',
    scopes: writing,
    params: { ...hookPath, trigger: t.required(t.oneOf(kind === 'project' ? eventsOf.project : eventColumns)) },
    result: [201, Created],
    run: ({ platform, subject, actor, params: { hook_id, trigger } }) =>
      sendSample(platform, subject, actor, hook_id, trigger),
  }),
])

/** What a test of a hook of the instance sends, and returns. */
const mock = {
  event_name: 'project_create',
  name: 'Ruby',
  path: 'ruby',
  project_id: 1,
  owner_name: 'Someone',
  owner_email: 'example@gitlabhq.com',
}

export const systemHooksTest = operation({
  tag: 'System hooks',
  subject: instance,
  allow: 'administrator',
  id: 'system_hooks.test',
  contract: 'x.system_hooks_test',
  method: 'POST',
  path: '/hooks/:hook_id',
  summary: 'Send a made-up event to a webhook of the instance',
  description: 'The answer is what was sent, whatever the receiver answers.',
  scopes: writing,
  params: hookPath,
  result: [
    201,
    Type.Object({
      event_name: Type.String(),
      name: Type.String(),
      path: Type.String(),
      project_id: Type.Integer(),
      owner_name: Type.String(),
      owner_email: Type.String(),
    }),
  ],
  async run({ platform, params }) {
    const hook = await requireHook(platform.database.read, instanceHooks, params.hook_id)
    const { logged: trigger_name } = triggers.system
    const event = { uuid: randomUUID(), header: systemHeader, trigger_name, payload: JSON.stringify(mock) }
    await sendNow(platform, hook, event, randomUUID(), null)
    return mock
  },
})
