/**
 * The discussion of an object: threads with replies, system notes and changes between them, reactions, and the forms for them. A page
 * declares `performedIn(conversation)`, reads `readTalk`, and shows `ObjectReactions`, `Discussion` and `CommentForm`. Threads on the lines of a
 * diff are shown one by one with `Thread`. Where the caller writes a review, `Talk` has their drafts, and forms a button that adds to them.
 */
export { CommentForm } from './comment-form.tsx'
export { conversationOf, performedIn } from './conversation.ts'
export { Discussion, ObjectReactions } from './discussion.tsx'
export { AddToReview, Drafts, draftOperations, type Review } from './drafts.tsx'
export { pathOfUrl } from './events.tsx'
export { helpedActions } from './quick-actions.tsx'
export { readNoteAwards, readTalk, rightsIn, type Talk } from './read.ts'
export { Thread } from './thread.tsx'
