/**
 * For `node --import`: whoever asks for `typescript` gets version 6, installed as `typescript-6`.
 *
 * dependency-cruiser reads the sources with TypeScript's parser, which version 7 does not offer to other programs.
 */
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (name, context, next) => next(name.replace(/^typescript(?=\/|$)/, 'typescript-6'), context),
})
