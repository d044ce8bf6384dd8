export { diffs } from './diff.tsx'
