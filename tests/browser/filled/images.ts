export { pushImage } from '../../../src/demo/speech/images.ts'
