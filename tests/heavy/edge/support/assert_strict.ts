/** Node's assertions from a package, for hosts without Node. */

import assert from "assert";

export default assert.strict;
