import { reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { awardedEpic } from '../core/access.ts'
import { pathsBelowEpic } from '../core/params.ts'
import { Epic } from '../core/present.ts'
import { addChild, createChild, LinkedEpic, listChildren, moveChild, removeChild } from './children.ts'

const shared = { tier: 'ultimate', tag: 'Epics', deprecated: true, subject: awardedEpic } as const
const writes = { ...shared, allow: 'assign_epic_issues', scopes: writing } as const
const child_epic_id = t.id()
const all = pathsBelowEpic('epics')
const single = pathsBelowEpic('epics/:child_epic_id')

export const epicChildrenList = operation({
  ...shared,
  ...all,
  id: 'epic_children.list',
  contract: 'x.epic_child_list',
  method: 'GET',
  summary: 'List the child epics of an epic in their manual order',
  allow: 'read_epic_activity',
  scopes: reading,
  result: [200, Type.Array(Epic)],
  run: ({ platform, subject, actor }) => listChildren(platform, subject, actor),
})

export const epicChildrenAdd = operation({
  ...writes,
  ...single,
  id: 'epic_children.add',
  contract: 'x.epic_child_add',
  method: 'POST',
  summary: 'Make an epic a child of an epic',
  description: 'The child, named by its id, may be of any group in which the caller has a role.',
  params: { child_epic_id },
  result: [201, Epic],
  run: ({ platform, subject, actor, params }) => addChild(platform, subject, params.child_epic_id, actor),
})

export const epicChildrenCreate = operation({
  ...shared,
  ...all,
  id: 'epic_children.create',
  contract: 'x.epic_child_create',
  method: 'POST',
  summary: 'Create a child epic of an epic',
  allow: 'write_epics',
  scopes: writing,
  params: {
    title: t.required(t.string()),
    confidential: t.boolean({ description: 'By default as the epic above it.' }),
  },
  result: [201, LinkedEpic],
  run: ({ platform, subject, actor, params }) => createChild(platform, subject, actor, params),
})

const place = (side: string) => t.integer({ description: `The id of a child epic; the moved one goes ${side} it.` })

export const epicChildrenMove = operation({
  ...writes,
  ...single,
  id: 'epic_children.move',
  contract: 'x.epic_child_reorder',
  method: 'PUT',
  summary: 'Change the order of the child epics of an epic',
  params: { child_epic_id, move_before_id: place('before'), move_after_id: place('after') },
  result: [200, Type.Array(Epic)],
  run: ({ platform, subject, actor, params: { child_epic_id: id, ...places } }) =>
    moveChild(platform, subject, id, places, actor),
})

export const epicChildrenRemove = operation({
  ...writes,
  ...single,
  id: 'epic_children.remove',
  contract: 'x.epic_child_remove',
  method: 'DELETE',
  summary: 'Take a child epic from an epic',
  params: { child_epic_id },
  result: [200, Epic],
  run: ({ platform, subject, actor, params }) => removeChild(platform, subject, params.child_epic_id, actor),
})
