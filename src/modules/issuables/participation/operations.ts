import { type Operation, pageOf, reading, requireSignedIn, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { UserBasic } from '../../users/index.ts'
import type { IssuableKind } from '../kind.ts'
import { Todo } from '../todos/present.ts'
import { markIssuable } from '../todos/todos.ts'
import { listParticipants, setSubscription } from './participation.ts'

/** Declares the operations on subscriptions, to-dos and participants of a kind of issuables (contract 16). */
export function participationOperations<S, A extends string>(kind: IssuableKind<S, A>): readonly Operation[] {
  const { name, noun, tag, subject, contract, issuableOf, accessOf } = kind
  const writes = { tag, subject, allow: kind.write, scopes: writing, method: 'POST' } as const
  const subscription = (word: 'subscribe' | 'unsubscribe', isOn: boolean) =>
    operation({
      ...writes,
      id: `${name}_subscriptions.${word}`,
      contract: `x.${contract}_${word}`,
      path: `${kind.path}/${word}`,
      summary: isOn ? `Subscribe to ${noun}` : `Unsubscribe from ${noun}`,
      result: [201, kind.result],
      answers: { 304: isOn ? 'The caller is subscribed already.' : 'The caller is not subscribed.' },
      async run({ platform, subject, actor, setStatus }) {
        const { userId } = requireSignedIn(actor)
        if (!(await setSubscription(platform, issuableOf(subject), userId, isOn))) setStatus(304)
        return kind.present(platform, subject, actor)
      },
    })
  return [
    subscription('subscribe', true),
    subscription('unsubscribe', false),
    operation({
      ...writes,
      id: `${name}_todos.create`,
      contract: `x.${contract}_todo`,
      path: `${kind.path}/todo`,
      summary: `Put ${noun} on the to-do list of the caller`,
      result: [201, Todo],
      answers: { 304: 'The caller has a pending to-do for it.' },
      async run({ platform, subject, actor, setStatus }) {
        const { isNew, todo } = await markIssuable(platform, issuableOf(subject), requireSignedIn(actor))
        if (!isNew) setStatus(304)
        return todo
      },
    }),
    operation({
      ...{ tag, subject, allow: kind.show, scopes: reading, method: 'GET' as const },
      id: `${name}_participants.list`,
      contract: `x.${contract}_participants`,
      path: `${kind.path}/participants`,
      summary: `List the participants of ${noun}`,
      result: [200, pageOf(UserBasic)],
      run: ({ platform, subject, actor, page }) =>
        listParticipants(platform, issuableOf(subject), accessOf(subject, actor, platform), page),
    }),
  ]
}
