import { instance, nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { createMessage, deleteMessage, getMessage, listMessages, updateMessage } from './messages.ts'
import { messageChanges, messageFilter, messagePath, newMessage } from './params.ts'
import { BroadcastMessage } from './present.ts'

const shared = { tag: 'Broadcast messages', subject: instance } as const
const read = { ...shared, allow: 'public', scopes: reading } as const
const write = { ...shared, allow: 'administrator', scopes: writing } as const

export const broadcastMessagesList = operation({
  ...read,
  id: 'broadcast_messages.list',
  contract: '2.28',
  method: 'GET',
  path: '/broadcast_messages',
  summary: 'List broadcast messages',
  params: messageFilter,
  result: [200, pageOf(BroadcastMessage)],
  run: ({ platform, params, page }) => listMessages(platform, params, page),
})

export const broadcastMessagesGet = operation({
  ...read,
  id: 'broadcast_messages.get',
  contract: '2.29',
  method: 'GET',
  path: '/broadcast_messages/:id',
  summary: 'Get a broadcast message',
  params: messagePath,
  result: [200, BroadcastMessage],
  run: ({ platform, params }) => getMessage(platform, params.id),
})

export const broadcastMessagesCreate = operation({
  ...write,
  id: 'broadcast_messages.create',
  contract: '2.30',
  method: 'POST',
  path: '/broadcast_messages',
  summary: 'Create a broadcast message',
  params: newMessage,
  result: [201, BroadcastMessage],
  run: ({ platform, params, act }) => createMessage(platform, params, act),
})

export const broadcastMessagesUpdate = operation({
  ...write,
  id: 'broadcast_messages.update',
  contract: '2.31',
  method: 'PUT',
  path: '/broadcast_messages/:id',
  summary: 'Change a broadcast message',
  params: { ...messagePath, ...messageChanges },
  result: [200, BroadcastMessage],
  run: ({ platform, params: { id, ...changes }, act }) => updateMessage(platform, id, changes, act),
})

export const broadcastMessagesDelete = operation({
  ...write,
  id: 'broadcast_messages.delete',
  contract: '2.32',
  method: 'DELETE',
  path: '/broadcast_messages/:id',
  summary: 'Delete a broadcast message',
  params: messagePath,
  result: [204, nothing],
  run: ({ platform, params, unmodified, act }) => deleteMessage(platform, params.id, unmodified, act),
})
