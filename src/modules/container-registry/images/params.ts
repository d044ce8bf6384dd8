import { type ParamValues, t } from '../../../api/index.ts'

/** The path parameter of operations about one repository of a project. */
export const repositoryId = { repository_id: t.id() }

/** What is shown of repositories on request. */
export const withTags = {
  tags: t.boolean({ description: 'Adds the tags of each repository.' }),
  tags_count: t.boolean({ description: 'Adds the number of tags of each repository.' }),
}

export const withTagsAndSize = {
  ...withTags,
  size: t.boolean({ description: 'Adds the size in bytes, with identical data counted once.' }),
}
export type Extras = ParamValues<typeof withTagsAndSize>

export const withDetails = {
  details: t.boolean({ description: 'Adds what the contract calls the contents of a tag.' }),
}

export const tagWalk = {
  details: t.boolean({ description: 'Adds the digest, the size and the times of each tag.' }),
  sort: t.string({ description: 'Only with keyset pagination: `desc` reverses, anything else is `asc`.' }),
  order_by: t.string({ description: 'Only with keyset pagination: `name`.' }),
  last: t.string({ description: 'Only with keyset pagination: start after this name, which need not exist.' }),
}
