import { writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { atProjectAndGroup } from '../../projects/index.ts'
import { labelObject } from '../core/present.ts'
import { setSubscribed } from './subscriptions.ts'

/** Subscriptions to labels (contract 17, x.label_subscribe, x.group_label_subscribe and their opposites). */
export const subscriptionOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const prefix = kind === 'project' ? 'x.label' : 'x.group_label'
  const common = { method: 'POST', tag: 'Labels', subject, allow: 'read_labels', scopes: writing } as const
  const schema = labelObject({ kind })
  return [
    operation({
      ...common,
      id: `${kind}_labels.subscribe`,
      contract: `${prefix}_subscribe`,
      path: `${path}/labels/:label/subscribe`,
      summary: `Subscribe to a label of a ${kind}`,
      result: [201, schema],
      answers: { 304: 'The caller is subscribed already.' },
      async run({ platform, subject, actor, params, setStatus }) {
        const { isChanged, label } = await setSubscribed(platform, subject, actor, params.label, true)
        if (!isChanged) setStatus(304)
        return label
      },
    }),
    operation({
      ...common,
      id: `${kind}_labels.unsubscribe`,
      contract: `${prefix}_unsubscribe`,
      path: `${path}/labels/:label/unsubscribe`,
      summary: `Unsubscribe from a label of a ${kind}`,
      result: [201, schema],
      answers: { 304: 'The caller is not subscribed.' },
      async run({ platform, subject, actor, params, setStatus }) {
        const { isChanged, label } = await setSubscribed(platform, subject, actor, params.label, false)
        if (!isChanged) setStatus(304)
        return label
      },
    }),
  ]
})
