/** Short names of emoji, as `thumbsup`. */
export { emojiName } from './emoji-names.ts'
