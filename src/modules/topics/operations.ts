import { instance, nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { newTopic, topicChanges, topicFilter, topicMerge, topicPath } from './params.ts'
import { Topic } from './present.ts'
import { changeTopic, createTopic, deleteTopic, getTopic, listTopics, mergeTopics } from './topics.ts'

const shared = { tag: 'Topics', subject: instance } as const
const read = { ...shared, allow: 'public', scopes: reading } as const
const write = { ...shared, allow: 'administrator', scopes: writing } as const

export const topicsList = operation({
  ...read,
  id: 'topics.list',
  contract: 'x.topics_list',
  method: 'GET',
  path: '/topics',
  summary: 'List topics',
  description: 'Those of the most projects first.',
  params: topicFilter,
  result: [200, pageOf(Topic)],
  run: ({ platform, params, page }) => listTopics(platform, params, page),
})

export const topicsGet = operation({
  ...read,
  id: 'topics.get',
  contract: 'x.topics_get',
  method: 'GET',
  path: '/topics/:id',
  summary: 'Get a topic',
  params: topicPath,
  result: [200, Topic],
  run: ({ platform, params }) => getTopic(platform, params.id),
})

export const topicsCreate = operation({
  ...write,
  id: 'topics.create',
  contract: 'x.topics_create',
  method: 'POST',
  path: '/topics',
  summary: 'Create a topic',
  params: newTopic,
  result: [201, Topic],
  run: ({ platform, params, act }) => createTopic(platform, params, act),
})

export const topicsUpdate = operation({
  ...write,
  id: 'topics.update',
  contract: 'x.topics_update',
  method: 'PUT',
  path: '/topics/:id',
  summary: 'Change a topic',
  params: { ...topicPath, ...topicChanges },
  result: [200, Topic],
  run: ({ platform, params: { id, ...changes }, act }) => changeTopic(platform, id, changes, act),
})

export const topicsDelete = operation({
  ...write,
  id: 'topics.delete',
  contract: 'x.topics_delete',
  method: 'DELETE',
  path: '/topics/:id',
  summary: 'Delete a topic',
  params: topicPath,
  result: [204, nothing],
  run: ({ platform, params, unmodified, act }) => deleteTopic(platform, params.id, unmodified, act),
})

export const topicsMerge = operation({
  ...write,
  id: 'topics.merge',
  contract: 'x.topics_merge',
  method: 'POST',
  path: '/topics/merge',
  summary: 'Merge two topics',
  params: topicMerge,
  result: [201, Topic],
  run: ({ platform, params, act }) => mergeTopics(platform, params.source_topic_id, params.target_topic_id, act),
})
