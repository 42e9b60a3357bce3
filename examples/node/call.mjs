// Counts, prunes and assembles through an engine:
//   node call.mjs [ws://127.0.0.1:49134]
import { registerWorker } from 'iii-sdk'

const iii = registerWorker(process.argv[2] ?? 'ws://127.0.0.1:49134')
const model = { id: 'example', limits: { context_window: 5000, max_output_tokens: 500 } }
const messages = [{ role: 'user', content: [{ type: 'text', text: 'hello' }], timestamp: 1001 }]
const call = (name) => iii.trigger({ function_id: `context::${name}`, payload: { model, messages } })

const [counted, pruned, assembled] = [await call('count-tokens'), await call('prune'), await call('assemble')]
console.log(`count-tokens ${counted.tokens}, prune ${pruned.pruned_parts} parts, assemble ${assembled.token_count} of ${assembled.usable}`)
await iii.shutdown()
