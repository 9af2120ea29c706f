import { MODULES } from '../../src/app/modules.js';
import { describeSpecification } from '../support/specification.js';

describeSpecification(MODULES);
