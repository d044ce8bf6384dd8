/**
 * For `node --import`: resolves `typescript` to version 6, installed as `typescript-6`.
 * dependency-cruiser parses the sources with TypeScript's API, which version 7 does not offer.
 */
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (name, context, next) => next(name.replace(/^typescript(?=\/|$)/, 'typescript-6'), context),
})
