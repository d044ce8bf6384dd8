export { createTagMaker, type NewTag, type TagMaker, type TagMakingNeeds, type TagRefusal } from './making.ts'
export { tagOperations } from './operations.ts'
export type { ReleaseOfTag } from './present.ts'
export { createTags, type Tags, type TagsNeeds } from './tags.ts'
