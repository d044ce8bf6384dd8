import { type ParamValues, t } from '../../api/index.ts'

const others = {
  description: t.string({ description: 'Markdown, at most 1024 characters.' }),
  avatar: t.file({ description: 'Picture of at most 200 KiB; the empty value removes it.' }),
}

export const topicPath = { id: t.id() }

/** Parameters of x.topics_list. */
export const topicFilter = {
  search: t.string({ description: 'Part of the name or title.' }),
  without_projects: t.boolean({ description: 'Only topics that no project has.' }),
  organization_id: t.integer({ description: 'The only organization is 1.' }),
}
export type TopicFilter = ParamValues<typeof topicFilter>

/** Parameters of x.topics_create. */
export const newTopic = {
  name: t.required(t.string()),
  title: t.required(t.string()),
  organization_id: t.integer({ description: 'The only organization is 1.' }),
  ...others,
}
export type NewTopicParams = ParamValues<typeof newTopic>

/** Parameters of x.topics_update. */
export const topicChanges = { name: t.string(), title: t.string(), ...others }
export type TopicChangeParams = ParamValues<typeof topicChanges>

/** Parameters of x.topics_merge. */
export const topicMerge = {
  source_topic_id: t.required(t.integer({ description: 'The topic that is removed.' })),
  target_topic_id: t.required(t.integer({ description: 'The topic that gets its projects.' })),
}
